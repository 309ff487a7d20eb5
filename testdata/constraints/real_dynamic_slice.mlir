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
