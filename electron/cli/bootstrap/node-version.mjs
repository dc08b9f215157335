// The first import of every entry: stops an old Node before the syntax and functions that it lacks are used.

const OLDEST_MAJOR = 20;

if (Number(process.versions.node.split('.')[0]) < OLDEST_MAJOR) {
  process.stderr.write(
    `Earshot needs Node ${OLDEST_MAJOR} or later, and this is ${process.version}. Install it from https://nodejs.org and try again.\n`,
  );
  process.exit(1);
}
