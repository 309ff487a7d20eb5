// valid
func.func @main(%arg0: tensor<1xi64>) {
  %0 = stablehlo.slice %arg0 [0:1] : (tensor<1xi64>) -> tensor<1xi64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<3xi1>) {
  %0 = stablehlo.slice %arg0 [0:2] : (tensor<3xi1>) -> tensor<?xi8>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i4>) {
  %0 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64>, start_indices = array<i64>, strides = array<i64: 1>}> : (tensor<i4>) -> tensor<i4>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<1xf64>) {
  %0 = stablehlo.slice %arg0 [0:2] : (tensor<1xf64>) -> tensor<2xf64>
  return
}

// -----

// breaks: C4
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<3xf32>) {
    %0 = stablehlo.slice %arg0 [1:2:0] : (tensor<3xf32>) -> tensor<f32>
    return
  }
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<2xf64>) {
  %0 = stablehlo.slice %arg0 [0:2] : (tensor<2xf64>) -> tensor<f64>
  return
}

// -----

// breaks: U1
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<3x2x!quant.uniform<i8:f32, 2.000000e+00:15>>) {
    %0 = stablehlo.slice %arg0 [2:3, 0:2] : (tensor<3x2x!quant.uniform<i8:f32, 2.000000e+00:15>>) -> tensor<1x2x!quant.uniform<i8:f32, 1.000000e+00>>
    return
  }
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<3x?x?xi32, #stablehlo.bounds<?, 4, ?>>) {
  %0 = stablehlo.slice %arg0 [1:2, 0:5:2, 0:4:2] : (tensor<3x?x?xi32, #stablehlo.bounds<?, 4, ?>>) -> tensor<?x?x?xi32>
  return
}
