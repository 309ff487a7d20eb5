// valid
sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
// -----
// breaks: U1
sdy.mesh @mesh = <["x"=2, "y"=0]>
// -----
// breaks: U2
sdy.mesh @mesh = <["x"=2, "x"=2]>
// -----
// breaks: U3
sdy.mesh @mesh = <[], device_ids=[-1]>
// -----
// breaks: U4
sdy.mesh @mesh = <[], device_ids=[0, 1]>
// -----
// breaks: U5
sdy.mesh @mesh = <["x"=2], device_ids=[0, 2]>
