// Tests that use ReplicaSet.java, with the driver org.mongodb:mongodb-driver-sync. Tested with Debian's driver 3.6, by way of the same classes.
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SessionsTest {
  @RegisterExtension final ReplicaSet set = new ReplicaSet();

  @Test
  void oldSessionsAreDeleted() throws Exception {
    try (MongoClient client = MongoClients.create(set.uri)) {
      var sessions = client.getDatabase("app").getCollection("sessions");
      sessions.createIndex(Indexes.ascending("lastSeen"), new IndexOptions().expireAfter(60L, TimeUnit.SECONDS));
      sessions.insertOne(new Document("lastSeen", new Date()));
      set.post("advance", "\"61s\"");
      set.post("until-ttl-pass", "{}");
      assertNull(sessions.find().first());
    }
  }

  @Test
  void ordersSurviveAFailover() throws Exception {
    try (MongoClient client = MongoClients.create(set.uri)) {
      var orders = client.getDatabase("app").getCollection("orders");
      orders.insertOne(new Document("_id", 1));
      var killed = ReplicaSet.field(set.get("status"), "primary");
      var elected = ReplicaSet.field(set.post("fault", "{\"kill\": \"primary\", \"untilPrimary\": true}"), "primary");
      assertNotEquals(killed, elected);
      orders.insertOne(new Document("_id", 2));
      assertNotNull(orders.find(Filters.eq("_id", 2)).first());
    }
  }

  @Test
  void aMistakeSaysWhatIsWrong() {
    var error = assertThrows(IllegalStateException.class, () -> set.post("fault", "{\"kil\": \"primary\"}"));
    assertTrue(error.getMessage().contains("fault has no field \\\"kil\\\""));
  }
}
