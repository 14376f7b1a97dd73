require('./jest1.cjs');
