// valid
module {
  func.func @main(%a0: tuple<tensor<f32>, tensor<i32>>) {
    %r = "stablehlo.get_tuple_element"(%a0) <{index = 1 : i32}> : (tuple<tensor<f32>, tensor<i32>>) -> (tensor<i32>)
    return
  }
}

// -----

// breaks: C1
module {
  func.func @main(%a0: tuple<>) {
    %r = "stablehlo.get_tuple_element"(%a0) <{index = 0 : i32}> : (tuple<>) -> (tensor<i8>)
    return
  }
}

// -----

// breaks: C2
module {
  func.func @main(%a0: tuple<tensor<f32>>) {
    %r = "stablehlo.get_tuple_element"(%a0) <{index = 0 : i32}> : (tuple<tensor<f32>>) -> (tensor<i8>)
    return
  }
}
