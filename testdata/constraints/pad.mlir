// valid
func.func @main(%arg0: tensor<2xf64>, %arg1: tensor<f64>) {
  %0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0], interior = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<1xf64>, %arg1: tensor<i1>) {
  %0 = stablehlo.pad %arg0, %arg1, low = [2], high = [0], interior = [0] : (tensor<1xf64>, tensor<i1>) -> tensor<?xi4>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = stablehlo.pad %arg0, %arg1, low = [], high = [0], interior = [] : (tensor<i8>, tensor<i8>) -> tensor<i8>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<1xf64>, %arg1: tensor<f64>) {
  %0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0], interior = [-1] : (tensor<1xf64>, tensor<f64>) -> tensor<?xf64>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<1xi8>, %arg1: tensor<i8>) {
  %0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0], interior = [2] : (tensor<1xi8>, tensor<i8>) -> tensor<i8>
  return
}

// -----

// breaks: U1
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<2x4x6x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<!quant.uniform<i8:f32, 1.000000e+00:17>>) {
    %0 = stablehlo.pad %arg0, %arg1, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] {dimension = 0 : i64} : (tensor<2x4x6x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<!quant.uniform<i8:f32, 1.000000e+00:17>>) -> tensor<2x4x6x!quant.uniform<i8:f32, 1.000000e+00:17>>
    return
  }
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<3x?x4xf16, #stablehlo.bounds<?, 3, ?>>, %arg1: tensor<f16>) {
  %0 = stablehlo.pad %arg0, %arg1, low = [2, -10, 0], high = [0, 0, 0], interior = [1, 1, 1] : (tensor<3x?x4xf16, #stablehlo.bounds<?, 3, ?>>, tensor<f16>) -> tensor<?x?x?xf16>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %arg1: tensor<f32>) {
  %0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [1, -1], interior = [0, 1] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<8x?xf32>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<f32>) {
  %0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [1, -1], interior = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<?x?xf32, #stablehlo.bounds<4, ?>>
  return
}
