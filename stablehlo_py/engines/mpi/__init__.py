"""The MPI engine (extra `mpi`): a process grid on MPI ranks, one process of the grid a rank."""
