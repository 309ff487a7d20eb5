// valid
func.func @main(%arg0: tensor<3xi1>, %arg1: tensor<ui8>) {
  %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<3xi1>, tensor<ui8>) -> tensor<1xi1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<3xi4>, %arg1: tensor<i8>) {
  %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<3xi4>, tensor<i8>) -> tensor<1xui8>
  return
}

// -----

// breaks: C2
module {
  func.func @main(%a0: tensor<i64>) {
    %r = "stablehlo.dynamic_slice"(%a0) <{slice_sizes = array<i64: 1, 4>}> : (tensor<i64>) -> (tensor<1x4xi64>)
    return
  }
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<3x4xi32>, %arg1: tensor<i32>, %arg2: tensor<i64>) {
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [1, 4] : (tensor<3x4xi32>, tensor<i32>, tensor<i64>) -> tensor<1x4xi32>
  return
}

// -----

// breaks: C4
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%arg0: tensor<1xi8>, %arg1: tensor<i64>) {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [4] : (tensor<1xi8>, tensor<i64>) -> tensor<4xi8>
    return
  }
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<3xi1>, %arg1: tensor<i8>) {
  %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<3xi1>, tensor<i8>) -> tensor<i1>
  return
}

// -----

// breaks: U1
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<3x!quant.uniform<i8:f32, 2.000000e+00:15>>, %arg1: tensor<ui8>) {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<3x!quant.uniform<i8:f32, 2.000000e+00:15>>, tensor<ui8>) -> tensor<1x!quant.uniform<i8:f32, 1.000000e+00:17>>
    return
  }
}
