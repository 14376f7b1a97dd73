// Debian's driver 3.6 is older than this class, by which the drivers since 3.7 are used. They retry writes by default.
package com.mongodb.client;

import com.mongodb.MongoClientURI;

public final class MongoClients {
  private MongoClients() {}

  public static MongoClient create(String uri) {
    com.mongodb.MongoClient client = new com.mongodb.MongoClient(new MongoClientURI(uri + "&retryWrites=true"));
    return new MongoClient() {
      @Override
      public MongoDatabase getDatabase(String name) {
        return client.getDatabase(name);
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }
}
