/* A replica set for tests in C. Tested with libmongoc 1.23 of Debian 12, at speed 1 and at speed 0. POSIX only. */
#include <mongoc/mongoc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A set that `replsim serve` runs. The variable REPLSIM says where the program is. */
typedef struct { pid_t pid; FILE *lines; char uri[512]; } replsim_t;

static void replsim_start(replsim_t *set) {
  const char *program = getenv("REPLSIM") ? getenv("REPLSIM") : "node_modules/.bin/replsim";
  char line[4096] = "", ready[256];
  int ends[2];
  if (pipe(ends) != 0 || (set->pid = fork()) == -1) { perror("replsim"); exit(1); }
  if (set->pid == 0) {
    dup2(ends[1], STDOUT_FILENO), close(ends[0]), close(ends[1]);
    execl(program, program, "serve", "--port", "0", "--json", "--quiet", "--exit-with-parent", (char *) NULL);
    perror(program), _exit(127);
  }
  close(ends[1]);
  set->lines = fdopen(ends[0], "r");
  /* The first line has the address; the second says that there is a primary. */
  bson_t serving;
  bson_iter_t uri;
  if (!fgets(line, sizeof line, set->lines) || !fgets(ready, sizeof ready, set->lines) ||
      !bson_init_from_json(&serving, line, -1, NULL) || !bson_iter_init_find(&uri, &serving, "uri")) {
    fprintf(stderr, "replsim serve has ended; it says why above\n"), exit(1);
  }
  snprintf(set->uri, sizeof set->uri, "%s", bson_iter_utf8(&uri, NULL));
  bson_destroy(&serving);
}

/* Any extra command of docs/serve.md. Every member accepts them, so there need not be a primary: hence `nearest`. */
static bool replsim_command(mongoc_client_t *client, const bson_t *command, bson_t *reply, bson_error_t *error) {
  mongoc_read_prefs_t *nearest = mongoc_read_prefs_new(MONGOC_READ_NEAREST);
  bool ok = mongoc_client_command_simple(client, "admin", command, nearest, reply, error);
  mongoc_read_prefs_destroy(nearest);
  return ok;
}

static void replsim_stop(replsim_t *set) { kill(set->pid, SIGTERM), waitpid(set->pid, NULL, 0), fclose(set->lines); }
