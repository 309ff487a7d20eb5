// valid
func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>, %arg2: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<2xf32>, tensor<1xf32>, tensor<f32>) -> tensor<2xf64>
  return
}

// -----

// valid
func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<1xf32>, %arg2: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{padding = dense<> : tensor<0x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<2xf32>, tensor<1xf32>, tensor<f32>) -> tensor<2xf64>
  return
}

// -----

// breaks: C1
// with: C10 (scatter takes the element types of both)
func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<1xi32>, %arg2: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<2xf32>, tensor<1xi32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// warns: C1
func.func @main(%arg0: tensor<10x24x24x64xf64>, %arg1: tensor<10x12x12x64xf32>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 1, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<10x24x24x64xf64>, tensor<10x12x12x64xf32>, tensor<f64>) -> tensor<10x24x24x64xf64>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<10x0x24x3xi1>, %arg1: tensor<i1>, %arg2: tensor<i1>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 1, 2, 1>}> ({
  ^bb0(%arg3: tensor<i1>, %arg4: tensor<i1>):
    stablehlo.return %arg3 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<i1>, %arg4: tensor<i1>):
    stablehlo.return %arg3 : tensor<i1>
  }) : (tensor<10x0x24x3xi1>, tensor<i1>, tensor<i1>) -> tensor<10x?x?x?xi1>
  return
}

// -----

// warns: C3
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<9x4x12x64xf64>, %arg2: tensor<bf16>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<9x4x12x64xf64>, tensor<bf16>) -> tensor<?x?x3x?xf64>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<9x2x4x0xf64>, %arg1: tensor<f64>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<9x2x4x0xf64>, tensor<f64>, tensor<f64>) -> tensor<?x?x?x?xf64>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<10x2x12x64xf64>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 0>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<10x2x12x64xf64>, tensor<f64>) -> tensor<10x24x24x64xf64>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<f64>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 1, 2, 1>, window_strides = array<i64: 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<f64>, tensor<f64>) -> tensor<?x4x?x?xf64>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<?x?x?x?xi4>, %arg1: tensor<?x12x6x64xi4>, %arg2: tensor<i4>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 1, 2, 1>, window_strides = array<i64: 0, 2, 2, 1>}> ({
  ^bb0(%arg3: tensor<i4>, %arg4: tensor<i4>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<i4>, %arg4: tensor<i4>):
    stablehlo.return %arg3 : tensor<i4>
  }) : (tensor<?x?x?x?xi4>, tensor<?x12x6x64xi4>, tensor<i4>) -> tensor<?x1x?x2xi4>
  return
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<10x2x12x64xf64>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{padding = dense<0> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 5, 2, 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<10x2x12x64xf64>, tensor<f64>) -> tensor<10x24x24x64xf64>
  return
}

// -----

// breaks: C9
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<10x2x12x64xf64>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 2>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<10x2x12x64xf64>, tensor<f64>) -> tensor<10x24x24x64xf64>
  return
}

// -----

// warns: C9
func.func @main(%arg0: tensor<10x?x24x64xf8E4M3FN>, %arg1: tensor<10x12x12x64xf8E4M3FN>, %arg2: tensor<f8E4M3FN>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 1, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f8E4M3FN>, %arg4: tensor<f8E4M3FN>):
    stablehlo.return %arg3 : tensor<f8E4M3FN>
  }) : (tensor<10x?x24x64xf8E4M3FN>, tensor<10x12x12x64xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<10x2x24x?xf8E4M3FN>
  return
}

// -----

// breaks: C10
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<10x2x12x64xf64>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<10x2x12x64xf64>, tensor<f64>) -> tensor<10x24x24x64xf64>
  return
}

// -----

// warns: C10
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<10x2x12x64xf64>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<10x2x12x64xf64>, tensor<f64>) -> tensor<1x24x24x3xf64>
  return
}

// -----

// breaks: C11
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<4x0x2x2xf64>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 1, 2, 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<4x0x2x2xf64>, tensor<f64>) -> tensor<f64>
  return
}

// -----

// breaks: C12
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<10x2x12x64xf64>, %arg2: tensor<f64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<10x2x12x64xf64>, tensor<f64>) -> tensor<10x24x24x64xi1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<10x2x12x64xf64>, %arg2: tensor<3xf64>) {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
    stablehlo.return %arg3 : tensor<f64>
  }) : (tensor<?x?x?x?xf64>, tensor<10x2x12x64xf64>, tensor<3xf64>) -> tensor<10x24x24x64xf64>
  return
}
