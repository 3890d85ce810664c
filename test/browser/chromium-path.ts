// Where Debian puts Chromium.
export const chromiumPath = '/usr/bin/chromium';
