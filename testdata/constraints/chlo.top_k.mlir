// valid
func.func @main(%arg0: tensor<*xf32>) {
  %values, %indices = chlo.top_k(%arg0, k = 8) : tensor<*xf32> -> (tensor<*xf32>, tensor<*xi32>)
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i4>) {
  %values, %indices = chlo.top_k(%arg0, k = 5) : tensor<i4> -> (tensor<i4>, tensor<i32>)
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<4xf32>) {
  %values, %indices = chlo.top_k(%arg0, k = 8) : tensor<4xf32> -> (tensor<8xf32>, tensor<8xi32>)
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<8xf32>) {
  %values, %indices = chlo.top_k(%arg0, k = 8) : tensor<8xf32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<2xi8>) {
  %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<2xi8> -> (tensor<*xf32>, tensor<*xi32>)
  return
}

// -----

// breaks: U5
func.func @main(%arg0: tensor<*xf32>) {
  %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<*xf32> -> (tensor<f32>, tensor<ui64>)
  return
}
