// Counter
