# The files that every case of the corpus finds in its directory.
printf 'pear 3\napple 10\nfig 2\napple 1\n\nkiwi 20\n' > fruit
printf 'one two  three\n\tfour\nfive six\n' > words
printf 'The quick brown fox jumps over the lazy dog.\nPack my box with five dozen liquor jugs.\n\n\nEnd.' > text
printf 'a 1\nb 2\nc 3\n' > left
printf 'a x\nc y\nd z\n' > right
printf 'a b\nb c\na d\nd c\n' > graph
printf '\000\001\002abc\377\200\n\177xyz\000' > binary
printf 'caf\303\251 na\303\257ve \342\202\254 10\n' > utf8
printf '1\n2\n3\n10\n20\n-5\n1.5\n1e2\n1K\n' > numbers
printf 'line %s\n' 1 2 3 4 5 6 7 8 9 10 11 12 > lines
: > empty
mkdir sub sub/deep
printf 'inner\n' > sub/file
printf 'deeper\n' > sub/deep/file
ln -s fruit link
ln fruit hard
printf '#!/bin/sh\necho script\n' > script
chmod 755 script
chmod 600 numbers
touch -d '2020-02-03 04:05:06.789' fruit words text left right graph binary utf8 numbers lines empty script sub/file
touch -d '2021-01-01 00:00:00' sub/deep sub sub/deep/file
