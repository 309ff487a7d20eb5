// valid
func.func @main(%arg0: tensor<1x2xi64>) {
  %0 = "chlo.constant_like"(%arg0) <{value = 0.000000e+00 : f32}> : (tensor<1x2xi64>) -> tensor<1x2xf32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i1>) {
  %0 = "chlo.constant_like"(%arg0) <{value = 0.000000e+00 : f32}> : (tensor<i1>) -> tensor<2xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<1x2xf32>) {
  %0 = "chlo.constant_like"(%arg0) <{value = -1.000000e+00 : f32}> : (tensor<1x2xf32>) -> tensor<1x?xf16>
  return
}
