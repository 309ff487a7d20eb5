// valid
func.func @main(%arg0: tensor<i1>) {
  %0 = interpreter.probe %arg0, probe_id = "probe/0" : tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i1>) {
  %0 = interpreter.probe %arg0, probe_id = "probe/0" : (tensor<i1>) -> tensor<i32>
  return
}
