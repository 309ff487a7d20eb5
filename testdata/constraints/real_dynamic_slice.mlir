// valid
func.func @main(%arg0: tensor<?x3xi4>, %arg1: tensor<2xi4>, %arg2: tensor<2xi4>, %arg3: tensor<2xi4>) {
  %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg2, %arg3 : (tensor<?x3xi4>, tensor<2xi4>, tensor<2xi4>, tensor<2xi4>) -> tensor<i4>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<?x3xi1>, %arg1: tensor<2xui8>, %arg2: tensor<2xui8>, %arg3: tensor<2xui8>) {
  %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg2, %arg3 : (tensor<?x3xi1>, tensor<2xui8>, tensor<2xui8>, tensor<2xui8>) -> tensor<i4>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<?xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2xi8>, %arg3: tensor<2xi8>) {
  %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg2, %arg3 : (tensor<?xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) -> tensor<i8>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<?xi4>, %arg1: tensor<1xi4>, %arg2: tensor<1xui8>, %arg3: tensor<1xi4>) {
  %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg2, %arg3 : (tensor<?xi4>, tensor<1xi4>, tensor<1xui8>, tensor<1xi4>) -> tensor<i4>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<4xf32>
  %ac = stablehlo.constant dense<-3> : tensor<1xi64>
  %a = stablehlo.negate %ac : tensor<1xi64>
  %bc = stablehlo.constant dense<-2> : tensor<1xi64>
  %b = stablehlo.negate %bc : tensor<1xi64>
  %cc = stablehlo.constant dense<-1> : tensor<1xi64>
  %c = stablehlo.negate %cc : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %x, %a, %b, %c : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

// stops: R2
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<4xf32>
  %ac = stablehlo.constant dense<-1> : tensor<1xi64>
  %a = stablehlo.negate %ac : tensor<1xi64>
  %bc = stablehlo.constant dense<-2> : tensor<1xi64>
  %b = stablehlo.negate %bc : tensor<1xi64>
  %cc = stablehlo.constant dense<0> : tensor<1xi64>
  %c = stablehlo.negate %cc : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %x, %a, %b, %c : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}
