func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.addf %a, %b fastmath<fast> : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.addf %a, %b fastmath<nnan,ninf> : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.addf %a, %b fastmath<none> {x = 1 : i32} : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.addf %t, %t : tensor<2xf32>
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.cmpf olt, %a, %b : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.cmpf "olt", %a, %b fastmath<fast> : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.negf %a : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.negf %a fastmath<nnan> : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.extf %a : f32 to f64
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.extf %a fastmath<nnan> : f32 to f64
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.truncf %a : f32 to bf16
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.truncf %a to_nearest_even : f32 to bf16
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.truncf %a to_nearest_even fastmath<nnan> : f32 to bf16
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.sitofp %j : i32 to f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.uitofp %j : i32 to f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.uitofp %j nneg : i32 to f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.fptosi %a : f32 to i32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.fptoui %a : f32 to i32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.bitcast %a : f32 to i32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.bitcast %t : tensor<2xf32> to tensor<2xi32>
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.shli %j, %j overflow<nsw> : i32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.shrsi %j, %j exact : i32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.shrui %j, %j : i32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.ceildivui %j, %j : i32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0, %1 = arith.addui_extended %j, %j : i32, i1
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0, %1 = arith.subui_extended %j, %j : i32, i1
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0, %1 = arith.mulsi_extended %j, %j : i32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0, %1 = arith.mului_extended %j, %j : i32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.flush_denormals %a : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.convertf %a : f32 to f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.constant 1.0 : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.constant dense<1.0> : vector<4xf32>
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.constant true
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.maximumf %a, %b : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.maxnumf %a, %b : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = arith.remf %a, %b : f32
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = scf.if %c -> (f32) { scf.yield %a : f32 } else { scf.yield %b : f32 }
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
scf.if %c { }
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
scf.if %c { scf.yield } else { %z = arith.addf %a, %b : f32 } {x = 1 : i32}
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0:2 = scf.if %c -> (f32, f32) { scf.yield %a, %a : f32, f32 } else { scf.yield %b, %b : f32, f32 }
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
scf.for %k = %i to %i step %i { }
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
scf.for %k = %j to %j step %j : i32 { } {x}
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
scf.for unsigned %k = %j to %j step %j : i32 { } {x}
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0:2 = scf.for %k = %i to %i step %i iter_args(%x = %a, %y = %b) -> (f32, f32) { scf.yield %x, %y : f32, f32 }
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0 = scf.while (%x = %a) : (f32) -> f32 { %z = arith.cmpf olt, %x, %b : f32 scf.condition(%z) %x : f32 } do { ^bb0(%y: f32): scf.yield %y : f32 }
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
scf.while : () -> () { scf.condition(%c) } do { scf.yield }
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
%0:2 = scf.while (%x = %a) : (f32) -> (f32, i1) { %z = arith.cmpf olt, %x, %b : f32 scf.condition(%z) %x, %z : f32, i1 } do { ^bb0(%y: f32, %u: i1): scf.yield %y : f32 } attributes {foo = 1 : i32}
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
cf.cond_br %c,
^bb1,
^bb1
^bb1:
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
cf.cond_br %c weights([1, 2]),
^bb1,
^bb1
^bb1:
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
cf.cond_br %c,
^bb1,
^bb1 {x}
^bb1:
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
cf.br
^bb1(%a : f32) {x}
^bb1(%q: f32):
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
cf.assert %c, "x" {y}
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
cf.switch %j : i32, [default:
^bb1(%a : f32), 42:
^bb1(%b : f32), -1:
^bb1(%b : f32)] {x}
^bb1(%q: f32):
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
cf.switch %j : i32, [default:
^bb1]
^bb1:
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
cf.switch %i : index, [default:
^bb1, 3:
^bb1]
^bb1:
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
cf.br
^bb1()
^bb1:
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {
")[0])
return
}

// -----

func.func @f(%a: f32, %b: f32, %i: index, %j: i32, %c: i1, %t: tensor<2xf32>) {

return
}

// -----

func.func @f(%k: i8) {
cf.switch %k : i8, [default:
^bb1, 300:
^bb1, -300:
^bb1, -129:
^bb1, 256:
^bb1, -0:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: i1) {
cf.switch %k : i1, [default:
^bb1, true:
^bb1, false:
^bb1, 2:
^bb1, -1:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: i8) {
cf.switch %k : i8, [default:
^bb1, true:
^bb1, 0x1FF:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: ui8) {
cf.switch %k : ui8, [default:
^bb1, -1:
^bb1, 255:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: si4) {
cf.switch %k : si4, [default:
^bb1, 15:
^bb1, -9:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: i64) {
cf.switch %k : i64, [default:
^bb1, 9223372036854775808:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: i64) {
cf.switch %k : i64, [default:
^bb1, 9223372036854775807:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: i128) {
cf.switch %k : i128, [default:
^bb1, 5:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: i32) {
cf.switch %k : i32, [default:
^bb1, 99999999999999999999:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: i32) {
cf.switch %k : i32, [default:
^bb1, 1.0:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: i32) {
cf.switch %k#0 : i32, [default:
^bb1, 1:
^bb1]
^bb1:
return
}

// -----

func.func @f(%k: i32) {
cf.switch %k : i32, [default:
^bb1(%k#0 : i32)]
^bb1(%x: i32):
return
}

// -----

func.func private @g() -> (i32, i32)
func.func @f(%k: i32) {
%a:2 = call @g() : () -> (i32, i32)
cf.switch %a#1 : i32, [default:
^bb1, 1:
^bb1]
^bb1:
return
}

// -----

func.func private @g() -> (i32, i32)
func.func @f(%k: i32) {
%a:2 = call @g() : () -> (i32, i32)
cf.switch %k : i32, [default:
^bb1(%k : i32), 1:
^bb1(%a#0 : i32)]
^bb1(%x: i32):
return
}
