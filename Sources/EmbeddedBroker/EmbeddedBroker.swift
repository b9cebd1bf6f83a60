// EmbeddedBroker
