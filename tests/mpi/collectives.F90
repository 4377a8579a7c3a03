! A Fortran program that knows nothing of schedules: it calls collectives and checks what it gets by
! what it must be. Compile with -DBINDING=1 for mpif.h, 2 for `use mpi`, 3 for `use mpi_f08`; on ranks
! of any number from 6 on.
#if BINDING == 3
#define COMM type(MPI_Comm)
#define KIND type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#define NO_ERROR
#define LAST_ERROR
#else
#define COMM integer
#define KIND integer
#define REQUEST integer
#define NO_ERROR , error
#define LAST_ERROR error
#endif

program collectives
#if BINDING == 3
  use mpi_f08
  implicit none
#elif BINDING == 2
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer, parameter :: n = 40, root = 5
  integer :: error, rank, ranks, i, j, level, checks, wrong, total(2)
  integer, allocatable :: send(:), got(:), counts(:), starts(:), sent_counts(:), sent_starts(:)
  integer(kind=MPI_ADDRESS_KIND) :: place(1)
  integer :: one(n), sums(n), lengths(1)
  double precision :: x(n), y(n)
  real :: single(n)
  complex :: pair(n)
  logical :: truth(n)
  COMM :: copy
  KIND :: kind_at
  REQUEST :: request

  checks = 0
  wrong = 0
#ifdef THREADS
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, level NO_ERROR)
#else
  level = 0
  call MPI_Init(LAST_ERROR)
#endif
  call MPI_Comm_dup(MPI_COMM_WORLD, copy NO_ERROR)
  call MPI_Comm_rank(copy, rank NO_ERROR)
  call MPI_Comm_size(copy, ranks NO_ERROR)
  allocate(send(n * ranks), got(n * ranks), counts(ranks), starts(ranks), sent_counts(ranks), sent_starts(ranks))

  ! Numbers tell from which rank to which one they go, and their place.
  do j = 0, ranks - 1
    send(n * j + 1:n * j + n) = [(1000000 * rank + 1000 * j + i, i = 1, n)]
  end do
  got = -1
  call MPI_Alltoall(send, n, MPI_INTEGER, got, n, MPI_INTEGER, copy NO_ERROR)
  call check_all(got, 'MPI_Alltoall')
  got = send
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, got, n, MPI_INTEGER, copy NO_ERROR)
  call check_all(got, 'MPI_Alltoall in place')

  counts = [((3 * rank + 5 * j) - 6 * ((3 * rank + 5 * j) / 6), j = 0, ranks - 1)]
  sent_counts = 2 * counts
  counts = [(2 * ((3 * j + 5 * rank) - 6 * ((3 * j + 5 * rank) / 6)), j = 0, ranks - 1)]
  sent_counts(rank + 1) = 0
  counts(rank + 1) = 0
  starts = [(n * j, j = 0, ranks - 1)]
  sent_starts = starts
  got = -1
  call MPI_Alltoallv(send, sent_counts, sent_starts, MPI_INTEGER, got, counts, starts, MPI_INTEGER, copy NO_ERROR)
  do j = 0, ranks - 1
    i = counts(j + 1)
    call check(all(got(n * j + 1:n * j + i) == expected(j, rank, i)), 'MPI_Alltoallv')
    call check(all(got(n * j + i + 1:n * j + n) == -1), 'what MPI_Alltoallv leaves')
  end do

  got = -1
  one = expected(rank, 0, n)
  call MPI_Allgather(one, n, MPI_INTEGER, got, n, MPI_INTEGER, copy NO_ERROR)
  call check_gathered(got, 'MPI_Allgather')
  got = -1
  got(n * rank + 1:n * rank + n) = one
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, got, n, MPI_INTEGER, copy NO_ERROR)
  call check_gathered(got, 'MPI_Allgather in place')
  counts = n
  starts = [(n * (ranks - 1 - j), j = 0, ranks - 1)]
  got = -1
  call MPI_Allgatherv(one, n, MPI_INTEGER, got, counts, starts, MPI_INTEGER, copy NO_ERROR)
  do j = 0, ranks - 1
    call check(all(got(starts(j + 1) + 1:starts(j + 1) + n) == expected(j, 0, n)), 'MPI_Allgatherv')
  end do

  one = -rank
  if (rank == root) one = expected(root, 7, n)
  call MPI_Bcast(one, n, MPI_INTEGER, root, copy NO_ERROR)
  call check(all(one == expected(root, 7, n)), 'MPI_Bcast')
  ! An absolute address.
  one = rank
  if (rank == root) one = expected(root, 8, n)
  call MPI_Get_address(one, place(1) NO_ERROR)
  lengths(1) = n
  call MPI_Type_create_hindexed(1, lengths, place, MPI_INTEGER, kind_at NO_ERROR)
  call MPI_Type_commit(kind_at NO_ERROR)
  call MPI_Bcast(MPI_BOTTOM, 1, kind_at, root, copy NO_ERROR)
  call MPI_Get_address(one, place(1) NO_ERROR)
  call check(all(one == expected(root, 8, n)), 'MPI_Bcast at MPI_BOTTOM')
  call MPI_Type_free(kind_at NO_ERROR)

  one = -1
  got = send
  if (rank == root) then
    call MPI_Scatter(send, n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, root, copy NO_ERROR)
    one = expected(root, rank, n)
  else
    call MPI_Scatter(got, n, MPI_INTEGER, one, n, MPI_INTEGER, root, copy NO_ERROR)
  end if
  call check(all(one == expected(root, rank, n)), 'MPI_Scatter')
  got = -1
  one = expected(rank, 0, n)
  if (rank == root) then
    got(n * rank + 1:n * rank + n) = one
    call MPI_Gather(MPI_IN_PLACE, n, MPI_INTEGER, got, n, MPI_INTEGER, root, copy NO_ERROR)
    call check_gathered(got, 'MPI_Gather')
  else
    call MPI_Gather(one, n, MPI_INTEGER, got, n, MPI_INTEGER, root, copy NO_ERROR)
    call check(all(got == -1), 'what MPI_Gather leaves')
  end if

  ! Sums that are exact in any order.
  x = [(dble(rank * i), i = 1, n)]
  y = -1
  call MPI_Allreduce(x, y, n, MPI_DOUBLE_PRECISION, MPI_SUM, copy NO_ERROR)
  call check(all(y == [(dble(i * ranks * (ranks - 1) / 2), i = 1, n)]), 'MPI_Allreduce')
  y = x
  call MPI_Allreduce(MPI_IN_PLACE, y, n, MPI_REAL8, MPI_MAX, copy NO_ERROR)
  call check(all(y == [(dble(i * (ranks - 1)), i = 1, n)]), 'MPI_Allreduce in place')
  single = real(rank + 1)
  call MPI_Allreduce(MPI_IN_PLACE, single, n, MPI_REAL, MPI_SUM, copy NO_ERROR)
  call check(all(single == real(ranks * (ranks + 1) / 2)), 'MPI_Allreduce of reals')
  pair = cmplx(rank, 1)
  call MPI_Allreduce(MPI_IN_PLACE, pair, n, MPI_COMPLEX, MPI_SUM, copy NO_ERROR)
  call check(all(pair == cmplx(ranks * (ranks - 1) / 2, ranks)), 'MPI_Allreduce of complex numbers')
  truth = [(mod(i, ranks) == rank, i = 1, n)]
  call MPI_Allreduce(MPI_IN_PLACE, truth, n, MPI_LOGICAL, MPI_LOR, copy NO_ERROR)
  call check(all(truth), 'MPI_Allreduce of truths')
  one = [(rank * i, i = 1, n)]
  sums = -1
  call MPI_Reduce(one, sums, n, MPI_INTEGER, MPI_SUM, root, copy NO_ERROR)
  if (rank == root) call check(all(sums == [(i * ranks * (ranks - 1) / 2, i = 1, n)]), 'MPI_Reduce')
  sums = -1
  call MPI_Reduce_scatter_block(send, sums, n, MPI_INTEGER, MPI_SUM, copy NO_ERROR)
  call check(all(sums == summed()), 'MPI_Reduce_scatter_block')
  sums = -1
  counts = n
  call MPI_Reduce_scatter(send, sums, counts, MPI_INTEGER, MPI_SUM, copy NO_ERROR)
  call check(all(sums == summed()), 'MPI_Reduce_scatter')

  ! What is passed on.
  got = -1
  call MPI_Ialltoall(send, n, MPI_INTEGER, got, n, MPI_INTEGER, copy, request NO_ERROR)
  call MPI_Wait(request, MPI_STATUS_IGNORE NO_ERROR)
  call check_all(got, 'MPI_Ialltoall')
  sums = one
  call MPI_Iallreduce(MPI_IN_PLACE, sums, n, MPI_INTEGER, MPI_MAX, copy, request NO_ERROR)
  call MPI_Wait(request, MPI_STATUS_IGNORE NO_ERROR)
  call check(all(sums == [(i * (ranks - 1), i = 1, n)]), 'MPI_Iallreduce')
  call MPI_Scan(one, sums, n, MPI_INTEGER, MPI_SUM, copy NO_ERROR)
  call check(all(sums == [(i * rank * (rank + 1) / 2, i = 1, n)]), 'MPI_Scan')
  call MPI_Barrier(copy NO_ERROR)

  total = [checks, wrong]
  call MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD NO_ERROR)
  if (rank == 0) print '(i0, a, i0, a)', total(1), ' checks, ', total(2), ' differ'
  call MPI_Comm_free(copy NO_ERROR)
  call MPI_Finalize(LAST_ERROR)

contains

  function expected(from, to, count) result(numbers)
    integer, intent(in) :: from, to, count
    integer :: numbers(count), k
    numbers = [(1000000 * from + 1000 * to + k, k = 1, count)]
  end function

  function summed() result(numbers)
    integer :: numbers(n), k
    numbers = [(1000000 * (ranks * (ranks - 1) / 2) + ranks * (1000 * rank + k), k = 1, n)]
  end function

  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    checks = checks + 1
    if (good) return
    wrong = wrong + 1
    print '(a, a, a, i0)', 'differs: ', what, ' on rank ', rank
  end subroutine

  subroutine check_all(numbers, what)
    integer, intent(in) :: numbers(:)
    character(len=*), intent(in) :: what
    integer :: from
    do from = 0, ranks - 1
      call check(all(numbers(n * from + 1:n * from + n) == expected(from, rank, n)), what)
    end do
  end subroutine

  subroutine check_gathered(numbers, what)
    integer, intent(in) :: numbers(:)
    character(len=*), intent(in) :: what
    integer :: from
    do from = 0, ranks - 1
      call check(all(numbers(n * from + 1:n * from + n) == expected(from, 0, n)), what)
    end do
  end subroutine
end program
