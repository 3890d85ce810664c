// A bot that does not listen to the stop signal.
process.on('SIGTERM', () => console.log('no'));
setInterval(() => {}, 1000);
console.log('ready');
