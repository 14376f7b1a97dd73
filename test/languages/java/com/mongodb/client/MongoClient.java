// Debian's driver 3.6 is older than this interface, by which the drivers since 3.7 are used.
package com.mongodb.client;

public interface MongoClient extends AutoCloseable {
  MongoDatabase getDatabase(String name);

  @Override
  void close();
}
