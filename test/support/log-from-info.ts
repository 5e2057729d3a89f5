/** Lets the service log from the level `info` on. Import this before all else: a module of the service reads the level once. */
process.env.POWERTOOLS_LOG_LEVEL = 'INFO';
