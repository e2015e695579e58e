/*
 * Matched probes: who has seen how large a message is receives that one and no other, whichever
 * thread of MPI takes what comes next (MPI-3.1, 3.8.2).
 *
 *	rank 5 -> 1   head | text | file, pieces of at most PIECE
 *	rank 6 -> 1   head | ...          in between, told apart by its source
 */
#include "mpi/message.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>

enum { TAG_HEAD = 1, TAG_TEXT, TAG_FILE, PIECE = 16 << 20 };

int part_send(int to, const struct part_head *head, const char *text, FILE *file)
{
	char *piece = calloc(1, PIECE);
	int err = piece ? 0 : -ENOMEM;

	/* Without memory nothing can be said but that. */
	if (!piece) {
		struct part_head nothing = { .failed = 1 };

		MPI_Send(&nothing, sizeof(nothing), MPI_BYTE, to, TAG_HEAD,
			 MPI_COMM_WORLD);
		return err;
	}
	MPI_Send(head, sizeof(*head), MPI_BYTE, to, TAG_HEAD, MPI_COMM_WORLD);
	for (uint64_t at = 0; at < head->text_size; at += PIECE) {
		uint64_t size = head->text_size - at;

		MPI_Send(text + at, size < PIECE ? (int)size : PIECE, MPI_BYTE, to,
			 TAG_TEXT, MPI_COMM_WORLD);
	}
	for (uint64_t at = 0; at < head->file_size; at += PIECE) {
		uint64_t left = head->file_size - at;
		size_t size = left < PIECE ? (size_t)left : PIECE;

		if (fread(piece, 1, size, file) != size)
			err = -EIO;
		MPI_Send(piece, (int)size, MPI_BYTE, to, TAG_FILE, MPI_COMM_WORLD);
	}
	free(piece);
	return err;
}

/* The next piece, of any size, into @to, which has room for as much. */
static int receive_piece(int from, int tag, void *to, int room)
{
	MPI_Message message;
	MPI_Status status;
	int size = 0;

	MPI_Mprobe(from, tag, MPI_COMM_WORLD, &message, &status);
	MPI_Get_count(&status, MPI_BYTE, &size);
	/* Only another program could send more. */
	if (size > room)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Mrecv(to, size, MPI_BYTE, &message, &status);
	return size;
}

int part_receive(struct part_head *ret, char **text, const char *path)
{
	char *piece = malloc(PIECE);
	FILE *out = NULL;
	MPI_Message message;
	MPI_Status status;
	int err = 0, from;

	MPI_Mprobe(MPI_ANY_SOURCE, TAG_HEAD, MPI_COMM_WORLD, &message, &status);
	from = status.MPI_SOURCE;
	MPI_Mrecv(ret, sizeof(*ret), MPI_BYTE, &message, &status);
	*text = calloc(1, ret->text_size + 1);
	if (!piece || !*text)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (uint64_t at = 0; at < ret->text_size;)
		at += (uint64_t)receive_piece(from, TAG_TEXT, *text + at, PIECE);
	if (ret->file_size && !(out = fopen(path, "we")))
		err = -errno;
	for (uint64_t at = 0; at < ret->file_size;) {
		int size = receive_piece(from, TAG_FILE, piece, PIECE);

		if (out && fwrite(piece, 1, (size_t)size, out) != (size_t)size)
			err = errno ? -errno : -EIO;
		at += (uint64_t)size;
	}
	if (out && fclose(out) != 0 && err == 0)
		err = -errno;
	free(piece);
	return err;
}
