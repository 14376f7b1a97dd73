// Tests that use replsim_test.go, with the driver go.mongodb.org/mongo-driver/v2. Tested with driver 1.8 of Debian 12, whose path has no /v2 and whose
// Connect takes a context first.
package sessions

import (
	"context"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func connect(t *testing.T, set *ReplicaSet) *mongo.Database {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(set.URI))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client.Database("app")
}

func TestOldSessionsAreDeleted(t *testing.T) {
	set := startReplicaSet(t)
	sessions := connect(t, set).Collection("sessions")
	index := mongo.IndexModel{Keys: bson.D{{Key: "lastSeen", Value: 1}}, Options: options.Index().SetExpireAfterSeconds(60)}
	if _, err := sessions.Indexes().CreateOne(context.Background(), index); err != nil {
		t.Fatal(err)
	}
	if _, err := sessions.InsertOne(context.Background(), bson.M{"lastSeen": time.Now()}); err != nil {
		t.Fatal(err)
	}
	set.Control(t, "advance", "61s")
	set.Control(t, "until-ttl-pass", bson.M{})
	left, err := sessions.CountDocuments(context.Background(), bson.D{})
	if err != nil || left != 0 {
		t.Fatalf("%d left, %v", left, err)
	}
}

func TestOrdersSurviveAFailover(t *testing.T) {
	set := startReplicaSet(t)
	orders := connect(t, set).Collection("orders")
	if _, err := orders.InsertOne(context.Background(), bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	killed := set.Control(t, "status", nil)["primary"]
	elected := set.Control(t, "fault", map[string]any{"kill": "primary", "untilPrimary": true})["primary"]
	if killed == elected {
		t.Fatalf("%v is still primary", killed)
	}
	if _, err := orders.InsertOne(context.Background(), bson.M{"_id": 2}); err != nil {
		t.Fatal(err)
	}
}
