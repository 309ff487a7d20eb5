// The worked example of collective_reduce in the specification.
//
// The document leaves out the computation, a comma and the `<` of `tensor1x2xi64>`; the sums that it prints
// are those of `add`, and has_dynamic_root is a unit attribute.

module {
  func.func @static_root(%operand: tensor<1x2xi64>) -> tensor<1x2xi64> {
    %result = "stablehlo.collective_reduce"(%operand) ({
      ^bb0(%arg0: tensor<i64>, %arg1: tensor<i64>):
        %0 = stablehlo.add %arg0, %arg1 : tensor<i64>
        stablehlo.return %0 : tensor<i64>
    }) {
      // has_dynamic_root = false
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<1x2xi64>) -> tensor<1x2xi64>
    return %result : tensor<1x2xi64>
  }

  func.func @dynamic_root(%operand: tensor<1x2xi64>, %root: tensor<1xi32>) -> tensor<1x2xi64> {
    %result = "stablehlo.collective_reduce"(%operand, %root) ({
      ^bb0(%arg0: tensor<i64>, %arg1: tensor<i64>):
        %0 = stablehlo.add %arg0, %arg1 : tensor<i64>
        stablehlo.return %0 : tensor<i64>
    }) {
      has_dynamic_root,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<1x2xi64>, tensor<1xi32>) -> tensor<1x2xi64>
    return %result : tensor<1x2xi64>
  }

  func.func @main() {
    %operand_replica0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi64>
    %operand_replica1 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi64>
    %operand_replica2 = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi64>
    %operand_replica3 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi64>
    %root = stablehlo.constant dense<3> : tensor<1xi32>
    %static:4 = "interpreter.run_parallel"(%operand_replica0, %operand_replica1, %operand_replica2, %operand_replica3) {
      programs = [[@static_root], [@static_root], [@static_root], [@static_root]]
    } : (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>)
        -> (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>)
    check.expect_eq_const %static#0, dense<[[16, 20]]> : tensor<1x2xi64>
    check.expect_eq_const %static#1, dense<[[0, 0]]> : tensor<1x2xi64>
    check.expect_eq_const %static#2, dense<[[0, 0]]> : tensor<1x2xi64>
    check.expect_eq_const %static#3, dense<[[0, 0]]> : tensor<1x2xi64>

    %dynamic:4 = "interpreter.run_parallel"(%operand_replica0, %root, %operand_replica1, %root, %operand_replica2, %root, %operand_replica3, %root) {
      programs = [[@dynamic_root], [@dynamic_root], [@dynamic_root], [@dynamic_root]]
    } : (tensor<1x2xi64>, tensor<1xi32>,
         tensor<1x2xi64>, tensor<1xi32>,
         tensor<1x2xi64>, tensor<1xi32>,
         tensor<1x2xi64>, tensor<1xi32>)
        -> (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>)
    check.expect_eq_const %dynamic#0, dense<[[0, 0]]> : tensor<1x2xi64>
    check.expect_eq_const %dynamic#1, dense<[[0, 0]]> : tensor<1x2xi64>
    check.expect_eq_const %dynamic#2, dense<[[0, 0]]> : tensor<1x2xi64>
    check.expect_eq_const %dynamic#3, dense<[[16, 20]]> : tensor<1x2xi64>
    return
  }
}
