/* For each line "NAME URI" of its input: writes a long text as this client, reads it, and prints who it is and how long the text is. */
#include <mongoc/mongoc.h>

#define LENGTH 50000
#define MOST 100

static struct {
  char name[100];
  mongoc_client_t *client;
} clients[MOST];

static mongoc_client_t *client_of(const char *name, const char *uri) {
  int i = 0;
  for (; clients[i].client; i++)
    if (strcmp(clients[i].name, name) == 0) return clients[i].client;
  mongoc_uri_t *parsed = mongoc_uri_new(uri);
  /* As a client with threads does by itself: it looks for a primary until one is there. */
  mongoc_uri_set_option_as_bool(parsed, MONGOC_URI_SERVERSELECTIONTRYONCE, false);
  strncpy(clients[i].name, name, sizeof clients[i].name - 1);
  clients[i].client = mongoc_client_new_from_uri(parsed);
  mongoc_uri_destroy(parsed);
  return clients[i].client;
}

static const char *text_at(const bson_t *document, const char *path, uint32_t *length) {
  bson_iter_t top, at;
  if (!bson_iter_init(&top, document) || !bson_iter_find_descendant(&top, path, &at)) return "nobody";
  return bson_iter_utf8(&at, length);
}

static bool answer(const char *name, const char *uri, bson_error_t *error) {
  static char text[LENGTH + 1];
  memset(text, 'x', LENGTH);
  mongoc_client_t *client = client_of(name, uri);
  mongoc_collection_t *collection = mongoc_client_get_collection(client, "app", name);
  bson_oid_t id;
  bson_oid_init(&id, NULL);
  bson_t *document = BCON_NEW("_id", BCON_OID(&id), "text", BCON_UTF8(text)), *filter = BCON_NEW("_id", BCON_OID(&id));
  bson_t *asked = BCON_NEW("connectionStatus", BCON_INT32(1)), status;
  const bson_t *found;
  uint32_t length = 0, ignored;
  bool ok = mongoc_collection_insert_one(collection, document, NULL, NULL, error);
  if (ok) {
    mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(collection, filter, NULL, NULL);
    if (mongoc_cursor_next(cursor, &found)) text_at(found, "text", &length);
    ok = !mongoc_cursor_error(cursor, error);
    mongoc_cursor_destroy(cursor);
  }
  if (ok) {
    ok = mongoc_client_command_simple(client, "app", asked, NULL, &status, error);
    if (ok)
      printf("%s ok %s@%s %u\n", name, text_at(&status, "authInfo.authenticatedUsers.0.user", &ignored),
             text_at(&status, "authInfo.authenticatedUsers.0.db", &ignored), length);
    bson_destroy(&status);
  }
  bson_destroy(document);
  bson_destroy(filter);
  bson_destroy(asked);
  mongoc_collection_destroy(collection);
  return ok;
}

int main(void) {
  static char name[100], uri[4000];
  mongoc_init();
  while (scanf("%99s %3999s", name, uri) == 2) {
    bson_error_t error = {0};
    if (!answer(name, uri, &error)) printf("%s failed %u %s\n", name, error.code, error.message);
    fflush(stdout);
  }
  for (int i = 0; clients[i].client; i++) mongoc_client_destroy(clients[i].client);
  mongoc_cleanup();
  return 0;
}
