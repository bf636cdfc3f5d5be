"""What the browser works out: functions of Python, translated to JavaScript when the site is built."""
