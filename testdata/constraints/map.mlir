// valid
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    stablehlo.return %arg2 : tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<2xi8>, %arg1: tensor<ui32>) {
  %0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({
  ^bb0(%arg2: tensor<i8>, %arg3: tensor<ui32>):
    stablehlo.return %arg2 : tensor<i8>
  }) : (tensor<2xi8>, tensor<ui32>) -> tensor<i8>
  return
}

// -----

// breaks: C2
func.func @main() {
  %0 = "stablehlo.map"() <{dimensions = array<i64>}> ({
    %1 = stablehlo.custom_call @f() : () -> tensor<!quant.uniform<i8:f32, 1.000000e+00>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 1.000000e+00>>
  }) : () -> tensor<!quant.uniform<i8:f32, 1.000000e+00:17>>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 2>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    stablehlo.return %arg2 : tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<2xi8>) {
  %0 = "stablehlo.map"(%arg0) <{dimensions = array<i64: 0>}> ({
    stablehlo.return 
  }) : (tensor<2xi8>) -> tensor<2xi8>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<4x?xf32>, %arg1: tensor<3x3xf32>) {
  %0 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x?xf32>, tensor<3x3xf32>) -> tensor<?x?xf32>
  return
}
