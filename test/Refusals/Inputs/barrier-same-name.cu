__syncthreads(); // on a line above the loop of the file that includes this
