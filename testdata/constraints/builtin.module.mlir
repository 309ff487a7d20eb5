// valid
module @inner {
}

// -----

// breaks: U1
"builtin.module"() ({
^bb0(%arg0: tensor<f32>):
}) : () -> ()
