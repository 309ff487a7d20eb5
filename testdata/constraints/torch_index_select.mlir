// valid
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2xi32>) {
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return
}

// -----

// valid
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %i = stablehlo.constant dense<0> : tensor<2xi64>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %i = stablehlo.constant dense<0.0> : tensor<2xf32>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// stops: R2
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %i = stablehlo.constant dense<0> : tensor<2xi64>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 2 : i64, batch_dims = 0 : i64}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}

// -----

// stops: R3
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %i = stablehlo.constant dense<0> : tensor<2xi64>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 0 : i64, batch_dims = 1 : i64}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

// stops: R4
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %i = stablehlo.constant dense<0> : tensor<4x5xi64>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x3xf32>, tensor<4x5xi64>) -> tensor<2x5xf32>
  return
}

// -----

// stops: R5
func.func @main() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %i = stablehlo.constant dense<0> : tensor<2xi64>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<2x0xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}
