// valid
func.func @main(%arg0: tensor<i64>, %arg1: tensor<i64>) {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<i64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = stablehlo.multiply %arg0, %arg1 : (tensor<i8>, tensor<i8>) -> tensor<f32>
  return
}
