/* A test that uses replsim.h: cc sessions.c -o sessions $(pkg-config --cflags --libs libmongoc-1.0) && ./sessions */
#include "replsim.h"

static void check(bool ok, const char *what, const char *message) {
  printf("%s%s%s\n", ok ? "" : "FAILED: ", what, ok ? "" : message);
  if (!ok) exit(1);
}

int main(void) {
  replsim_t set;
  bson_error_t error = {0};
  bson_t reply;
  mongoc_init();
  replsim_start(&set);
  mongoc_client_t *client = mongoc_client_new(set.uri);
  mongoc_collection_t *sessions = mongoc_client_get_collection(client, "app", "sessions");

  bson_t *index = BCON_NEW("createIndexes", "sessions", "indexes", "[", "{", "key", "{", "lastSeen", BCON_INT32(1), "}",
                           "name", "lastSeen_1", "expireAfterSeconds", BCON_INT32(60), "}", "]");
  check(mongoc_client_write_command_with_opts(client, "app", index, NULL, &reply, &error), "an index", error.message);
  bson_t *session = BCON_NEW("lastSeen", BCON_DATE_TIME((int64_t) time(NULL) * 1000));
  check(mongoc_collection_insert_one(sessions, session, NULL, NULL, &error), "a session", error.message);
  bson_t *advance = BCON_NEW("replsimAdvance", "61s"), *pass = BCON_NEW("replsimUntilTtlPass", BCON_INT32(1));
  check(replsim_command(client, advance, &reply, &error), "a minute later", error.message);
  check(replsim_command(client, pass, &reply, &error), "a TTL pass", error.message);
  bson_t all = BSON_INITIALIZER;
  int64_t left = mongoc_collection_count_documents(sessions, &all, NULL, NULL, NULL, &error);
  check(left == 0, "old sessions are deleted", error.message);

  bson_t *kill = BCON_NEW("replsimFault", "{", "kill", "primary", "}", "untilPrimary", BCON_BOOL(true));
  check(replsim_command(client, kill, &reply, &error), "a failover", error.message);
  check(mongoc_collection_insert_one(sessions, session, NULL, NULL, &error), "the new primary accepts writes", error.message);
  bson_t *mistake = BCON_NEW("replsimFault", "{", "kil", "primary", "}");
  check(!replsim_command(client, mistake, &reply, &error) && strstr(error.message, "kill"), "a mistake is reported", error.message);

  mongoc_collection_destroy(sessions);
  mongoc_client_destroy(client);
  replsim_stop(&set);
  return 0;
}
