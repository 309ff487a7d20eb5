// valid
func.func @main(%arg0: tensor<2xf32>, %arg1: index) {
  %0 = "tensor.extract"(%arg0, %arg1) : (tensor<2xf32>, index) -> f32
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<2xf32>, %arg1: index, %arg2: index) {
  %0 = "tensor.extract"(%arg0, %arg1, %arg2) : (tensor<2xf32>, index, index) -> f32
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i8>) {
  %0 = "tensor.extract"(%arg0) : (tensor<i8>) -> tensor<i8>
  return
}
