/* Messages with the program's name, obstacks, and addresses of the network. */
#define _GNU_SOURCE
#include <stdio.h>
#include <errno.h>
#include <error.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <obstack.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free
static void me(void){ fflush(stdout); fprintf(stderr,"me: "); }
int main(int argc,char**argv){
  dup2(1,2);
  const char *slash = strrchr(argv[0], '/');
  printf("%d %d\n", strcmp(program_invocation_short_name, slash ? slash + 1 : argv[0]),
         program_invocation_name == argv[0]);
  program_invocation_name="prog";
  error(0,0,"plain %d",3);
  error(0,ENOENT,"with error %s","x");
  error_at_line(0,EINVAL,"f.c",12,"hm");
  error_at_line(0,0,NULL,12,"hm");
  error_one_per_line=1;
  error_at_line(0,0,"f.c",12,"one");
  error_at_line(0,0,"f.c",12,"two");
  error_print_progname=me;
  error(0,0,"own %d",3);
  printf("%u\n",error_message_count);
  fflush(stdout);
  struct obstack o; obstack_init(&o);
  for(int i=0;i<2000;i++) obstack_printf(&o,"%d,",i);
  obstack_1grow(&o,0); char*s=obstack_finish(&o); printf("%.20s\n",s);
  char *a=obstack_copy0(&o,"hello",5), *b=obstack_alloc(&o,100000);
  printf("%s %d\n",a,obstack_memory_used(&o)>100000); obstack_free(&o,b); obstack_free(&o,NULL);
  printf("%x %x\n",htonl(0x12345678),ntohs(0x1234));
  printf("%s\n",inet_ntoa((struct in_addr){0x0100007f}));
  char t[80]; printf("%s\n",inet_ntop(AF_INET6,&in6addr_loopback,t,80));
  fflush(stdout);
  error(3,0,"bye");
}
