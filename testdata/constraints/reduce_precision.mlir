// valid
func.func @main(%arg0: tensor<6xf64>) {
  %0 = stablehlo.reduce_precision %arg0, format = e5m5 : tensor<6xf64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.reduce_precision %arg0, format = e5m5 : (tensor<f64>) -> tensor<0xf64>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<6xf64>) {
  %0 = stablehlo.reduce_precision %arg0, format = e0m10 : tensor<6xf64>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<6xf64>) {
  %0 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 8 : i32, mantissa_bits = -2 : i32}> : (tensor<6xf64>) -> tensor<6xf64>
  return
}
