// The second window begins at 3 in a dimension of size 4: its first element is in bounds, its second is not.
func.func @main() -> tensor<4xi32> {
  %input = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %indices = stablehlo.constant dense<[[0], [3]]> : tensor<2x1xi32>
  %updates = stablehlo.constant dense<[[10, 20], [30, 40]]> : tensor<2x2xi32>
  %0 = "stablehlo.scatter"(%input, %indices, %updates) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<4xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
