// valid
func.func @main(%arg0: tensor<i32>) {
  "stablehlo.case"(%arg0) ({
    stablehlo.return 
  }) : (tensor<i32>) -> ()
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i32>) {
  "stablehlo.case"(%arg0) : (tensor<i32>) -> ()
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i32>) {
  "stablehlo.case"(%arg0) ({
  ^bb0(%arg1: tensor<1xf32>):
    stablehlo.return 
  }) : (tensor<i32>) -> ()
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<i32>) {
  %0 = "stablehlo.case"(%arg0) ({
    %1 = stablehlo.custom_call @f() : () -> tensor<i16>
    stablehlo.return %1 : tensor<i16>
  }, {
    stablehlo.return 
  }) : (tensor<i32>) -> tensor<i16>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<i32>) {
  %0 = "stablehlo.case"(%arg0) ({
    stablehlo.return 
  }) : (tensor<i32>) -> tensor<i1>
  return
}
