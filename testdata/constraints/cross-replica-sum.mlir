// valid
func.func @main(%arg0: tensor<2xf64>) {
  %0 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<1> : tensor<1x2xi64>}> : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i4>) {
  %0 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<i4>) -> tensor<i1>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<0> : tensor<1x1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
