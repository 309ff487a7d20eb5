// valid
func.func @main(%arg0: tensor<3xi8>, %arg1: tensor<1xi8>, %arg2: tensor<i8>) {
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<3xi8>, tensor<1xi8>, tensor<i8>) -> tensor<3xi8>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<3xi1>, %arg1: tensor<1xi1>, %arg2: tensor<i64>) {
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<3xi1>, tensor<1xi1>, tensor<i64>) -> tensor<i1>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<3xi8>, %arg1: tensor<1xi4>, %arg2: tensor<i4>) {
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<3xi8>, tensor<1xi4>, tensor<i4>) -> tensor<3xi8>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<3xf64>, %arg1: tensor<f64>, %arg2: tensor<i8>) {
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<3xf64>, tensor<f64>, tensor<i8>) -> tensor<3xf64>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<3xi8>, %arg1: tensor<1xi8>) {
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1 : (tensor<3xi8>, tensor<1xi8>) -> tensor<3xi8>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<11x3x4xi32>, %arg1: tensor<1x3x4xi32>, %arg2: tensor<i32>, %arg3: tensor<i8>, %arg4: tensor<i64>) {
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3, %arg4 : (tensor<11x3x4xi32>, tensor<1x3x4xi32>, tensor<i32>, tensor<i8>, tensor<i64>) -> tensor<11x3x4xi32>
  return
}

// -----

// breaks: C6
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<3xi1>, %arg1: tensor<5xi1>, %arg2: tensor<i64>) {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<3xi1>, tensor<5xi1>, tensor<i64>) -> tensor<3xi1>
    return
  }
}

// -----

// breaks: U1
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%arg0: tensor<?x!quant.uniform<i8:f16, 2.000000e+00:15>>, %arg1: tensor<1x!quant.uniform<i8:f16, 2.000000e+00:15>>, %arg2: tensor<i8>) {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<?x!quant.uniform<i8:f16, 2.000000e+00:15>>, tensor<1x!quant.uniform<i8:f16, 2.000000e+00:15>>, tensor<i8>) -> tensor<6x!quant.uniform<i8:f16, 1.000000e+00>>
    return
  }
}
