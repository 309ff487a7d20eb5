// valid
func.func @main(%arg0: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%arg0) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  return
}

// -----

// breaks: C1
func.func @main(%arg0: !stablehlo.token) {
  "stablehlo.infeed"(%arg0) <{infeed_config = ""}> : (!stablehlo.token) -> ()
  return
}

// -----

// breaks: C2
func.func @main(%arg0: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%arg0) <{infeed_config = ""}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

// breaks: C3
func.func @main(%arg0: !stablehlo.token) {
  %0 = "stablehlo.infeed"(%arg0) <{infeed_config = ""}> : (!stablehlo.token) -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: !stablehlo.token) {
  %0 = "stablehlo.infeed"(%arg0) <{infeed_config = "", layout = [[]]}> : (!stablehlo.token) -> !stablehlo.token
  return
}
