// valid
func.func @main(%arg0: tensor<i1>) {
  %0:2 = "stablehlo.if"(%arg0) ({
    %c = stablehlo.constant dense<0> : tensor<2xi64>
    stablehlo.return %c, %c : tensor<2xi64>, tensor<2xi64>
  }, {
    %c = stablehlo.constant dense<1> : tensor<2xi64>
    stablehlo.return %c, %c : tensor<2xi64>, tensor<2xi64>
  }) : (tensor<i1>) -> (tensor<2xi64>, tensor<2xi64>)
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i1>) {
  "stablehlo.if"(%arg0) ({
  ^bb0(%arg1: tensor<i4>):
    stablehlo.return 
  }, {
    stablehlo.return 
  }) : (tensor<i1>) -> ()
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i1>) {
  %0:2 = "stablehlo.if"(%arg0) ({
    %c = stablehlo.constant dense<0> : tensor<2xi64>
    stablehlo.return %c, %c : tensor<2xi64>, tensor<2xi64>
  }, {
    stablehlo.return 
  }) : (tensor<i1>) -> (tensor<2xi64>, tensor<2xi64>)
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<i1>) {
  "stablehlo.if"(%arg0) ({
    %0 = stablehlo.custom_call @f() : () -> tensor<2xi1>
    stablehlo.return %0 : tensor<2xi1>
  }, {
    %0 = stablehlo.custom_call @f() : () -> tensor<2xi1>
    stablehlo.return %0 : tensor<2xi1>
  }) : (tensor<i1>) -> ()
  return
}
