      *> truth (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && cobc -x -O2 -g -o $BIN $SRC truth.o
       IDENTIFICATION DIVISION.
       PROGRAM-ID. cobolcalls.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 FIRST-STACK PIC X(60) VALUE
          Z"cobolcalls_;cobwork_;cobleaf_;...".
       01 SECOND-STACK PIC X(60) VALUE Z"cobolcalls_;cobleaf_;...".
       01 MORE-WORK BINARY-LONG VALUE 1.
       PROCEDURE DIVISION.
           PERFORM UNTIL MORE-WORK = 0
             CALL STATIC "truth_start"
             CALL "cobwork"
             CALL STATIC "truth_stop" USING BY REFERENCE FIRST-STACK
             CALL STATIC "truth_start"
             CALL "cobleaf"
             CALL STATIC "truth_stop" USING BY REFERENCE SECOND-STACK
             CALL STATIC "truth_go_on" RETURNING MORE-WORK
           END-PERFORM
           STOP RUN.
       END PROGRAM cobolcalls.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. cobwork.
       PROCEDURE DIVISION.
           CALL "cobleaf".
           GOBACK.
       END PROGRAM cobwork.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. cobleaf.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 I BINARY-LONG.
       01 S BINARY-LONG VALUE 0.
       PROCEDURE DIVISION.
           PERFORM VARYING I FROM 1 BY 1 UNTIL I > 300000
             ADD I TO S
             IF S > 1000000 MOVE 0 TO S END-IF
           END-PERFORM.
           GOBACK.
       END PROGRAM cobleaf.
