! truth fp: gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && gfortran -O2 -fno-inline -fno-ipa-cp -fno-omit-frame-pointer -J. -o $BIN $SRC truth.o
! truth O2 (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && gfortran -O2 -fno-inline -fno-ipa-cp -J. -o $BIN $SRC truth.o
module work
  use iso_c_binding
  implicit none
  integer(c_long), volatile :: sink
  interface
    subroutine truth_start() bind(c)
    end subroutine
    subroutine truth_stop(stack) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: stack(*)
    end subroutine
    function truth_go_on() bind(c) result(more)
      import :: c_int
      integer(c_int) :: more
    end function
  end interface
contains
  subroutine leaf(n)
    integer(c_long), intent(in) :: n
    integer(c_long) :: i
    do i = 1, n
      sink = i
    end do
  end subroutine

  subroutine outer(n)
    integer(c_long), intent(in) :: n
    call leaf(n)
    sink = 1
  end subroutine

  recursive subroutine down(depth, n)
    integer, intent(in) :: depth
    integer(c_long), intent(in) :: n
    if (depth > 1) then
      call down(depth - 1, n)
    else
      call leaf(n)
    end if
    sink = depth
  end subroutine
end module

program calls
  use work
  implicit none
  integer(c_long) :: n
  character(kind=c_char, len=*), parameter :: z = c_null_char
  n = 20000000
  do while (truth_go_on() /= 0)
    call truth_start()
    call outer(n)
    call truth_stop('MAIN__;__work_MOD_outer;__work_MOD_leaf' // z)
    call truth_start()
    call leaf(n)
    call truth_stop('MAIN__;__work_MOD_leaf' // z)
    call truth_start()
    call down(5, n)
    call truth_stop('MAIN__;__work_MOD_down x5;__work_MOD_leaf' // z)
  end do
end program
