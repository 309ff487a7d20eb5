// valid
func.func @main(%arg0: tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = "stablehlo.while"(%arg0) ({
  ^bb0(%iterArg: tensor<?x!quant.uniform<i8:f32, 2.000000e+00:15>>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%iterArg: tensor<?x!quant.uniform<i8:f32, 1.000000e+00:17>>):
    stablehlo.return %iterArg : tensor<?x!quant.uniform<i8:f32, 1.000000e+00:17>>
  }) : (tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<3x!quant.uniform<i8:f32, 1.000000e+00:17>>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<0x!quant.uniform<i8:f32, 1.000000e+00:17>>) {
  %0 = "stablehlo.while"(%arg0) ({
    stablehlo.return 
  }, {
  ^bb0(%iterArg: tensor<?x!quant.uniform<i8:f32, 1.000000e+00:17>>):
    stablehlo.return %iterArg : tensor<?x!quant.uniform<i8:f32, 1.000000e+00:17>>
  }) : (tensor<0x!quant.uniform<i8:f32, 1.000000e+00:17>>) -> tensor<?x!quant.uniform<i8:f32, 1.000000e+00:17>>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32, 1.000000e+00:17>>) {
  %0 = "stablehlo.while"(%arg0) ({
  ^bb0(%iterArg: tensor<?x!quant.uniform<i8:f32, 1.000000e+00:17>>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
    stablehlo.return 
  }) : (tensor<2x!quant.uniform<i8:f32, 1.000000e+00:17>>) -> tensor<?x!quant.uniform<i8:f32, 1.000000e+00:17>>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32, 1.000000e+00:17>>) {
  "stablehlo.while"(%arg0) ({
  ^bb0(%iterArg: tensor<2x!quant.uniform<i8:f32, 1.000000e+00:17>>):
    %0 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%iterArg: tensor<?x!quant.uniform<i8:f32, 1.000000e+00:17>>):
    stablehlo.return %iterArg : tensor<?x!quant.uniform<i8:f32, 1.000000e+00:17>>
  }) : (tensor<2x!quant.uniform<i8:f32, 1.000000e+00:17>>) -> ()
  return
}
