{"kind":"boot","boot":3,"t":1763673600,"steps":51200}
