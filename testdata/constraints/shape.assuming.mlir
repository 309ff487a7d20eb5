// valid
func.func @main(%arg0: !shape.witness) {
  %0 = "shape.assuming"(%arg0) ({
    %1 = stablehlo.custom_call @f() : () -> tensor<f32>
    shape.assuming_yield %1 : tensor<f32>
  }) : (!shape.witness) -> tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: !shape.witness) {
  %0 = "shape.assuming"(%arg0) ({
    shape.assuming_yield
  }) : (!shape.witness) -> tensor<i1>
  return
}
